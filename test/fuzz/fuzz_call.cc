// What a process that makes an HTTP call reads: whatever it is, no header or address of it may hold
// the end of its line.
#include <cstddef>
#include <cstdint>

#include "keeper/call.h"
#include "test/fuzz/property.h"

namespace cronce::fuzz {
namespace {

bool is_one_header(std::string_view text) {
  return text.find_first_of(std::string_view("\r\n\0", 3)) == std::string_view::npos;
}

}  // namespace
}  // namespace cronce::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace cronce;
  const auto order = parse_call_order({reinterpret_cast<const char*>(bytes), size});
  if (!order) {
    CHECK(fuzz::is_one_line(order.error().message));
    return 0;
  }
  CHECK(fuzz::is_one_line(order->method) && fuzz::is_one_header(order->url));
  for (const auto& [name, value] : order->headers) {
    CHECK(fuzz::is_one_line(name) && fuzz::is_one_header(value));
  }
  CHECK(parse_call_order(print(*order)).value() == *order);
  return 0;
}
