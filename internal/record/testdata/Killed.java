// Allocates 200 MB in blocks of 10,000 bytes, of which none stays, and is killed three seconds later.
public class Killed {
    static byte[] last;

    static void large() { last = new byte[10_000]; }

    public static void main(String[] words) throws Exception {
        for (int i = 0; i < 20_000; i++) {
            large();
            if (i % 1000 == 0) Thread.sleep(50);
        }
        Thread.sleep(3000);
        new ProcessBuilder("kill", "-9", "" + ProcessHandle.current().pid()).start().waitFor();
        Thread.sleep(10_000);
    }
}
