// Reads a SPAA file with simdjson on demand, and asks of every record what a reader of profiles needs. It prints the seconds of the
// fastest of five runs, reading of the file not included, and a sum that must not be optimized away.
#include <chrono>
#include <cstdio>
#include <simdjson.h>
using namespace simdjson;

static uint64_t record(ondemand::object doc) {
  uint64_t sum = 0;
  for (auto field : doc) {
    std::string_view key = field.unescaped_key();
    if (key == "timestamp") sum += uint64_t(double(field.value().get_double()));
    else if (key == "frames") for (auto id : field.value().get_array()) sum += uint64_t(id.get_uint64());
    else if (key == "period" || key == "tid" || key == "pid" || key == "cpu" || key == "dso") sum += uint64_t(field.value().get_uint64());
    else if (key == "stack_id" || key == "event" || key == "func" || key == "srcline") sum += std::string_view(field.value().get_string()).size();
    else if (key == "weights") for (auto w : field.value().get_array()) for (auto member : w.get_object())
      if (std::string_view(member.unescaped_key()) == "value") sum += uint64_t(member.value().get_uint64());
  }
  return sum;
}

int main(int, char **argv) {
  padded_string text = padded_string::load(argv[1]);
  double best = 1e9;
  uint64_t sum = 0;
  for (int run = 0; run < 5; run++) {
    auto start = std::chrono::steady_clock::now();
    ondemand::parser parser;
    ondemand::document_stream lines = parser.iterate_many(text, 1 << 20);
    sum = 0;
    for (auto line : lines) sum += record(line.get_object());
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  printf("%f %llu\n", best, (unsigned long long)sum);
}
