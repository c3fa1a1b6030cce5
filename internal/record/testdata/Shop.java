import java.util.*;

// A shop that leaks: every session stays.
public class Shop {
    record Session(int id, byte[] data) {}

    static final List<Session> open = new ArrayList<>();

    public static void main(String[] words) throws Exception {
        for (int i = 0; i < 500; i++) open.add(new Session(i, new byte[1000]));
        Thread.sleep(6000);
    }
}
