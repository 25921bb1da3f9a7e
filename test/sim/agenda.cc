#include "test/sim/agenda.h"

#include <algorithm>
#include <bit>

namespace cronce::sim {

void Agenda::Line::add(Planned* one) {
  one->next = nullptr;
  if (first == nullptr) {
    first = one;
  } else {
    last->next = one;
  }
  last = one;
}

Agenda::Planned* Agenda::Line::take() {
  Planned* one = first;
  if (one != nullptr) first = one->next;
  return one;
}

void Agenda::at(Duration time, Deed&& deed) {
  if (time > kEnd) return;
  Planned* one = free_.take();
  if (one == nullptr) one = &planned_.emplace_back();
  one->deed = std::move(deed);
  one->time = static_cast<std::size_t>(std::max(time, now_).count());
  const std::size_t page = one->time / kPage;
  if (page == page_) return line_up(one);
  if (page >= pages_.size()) pages_.resize(page + 1);
  pages_[page].add(one);
}

void Agenda::line_up(Planned* one) {
  const std::size_t moment = one->time % kPage;
  moments_[moment].add(one);
  busy_[moment / 64] |= std::uint64_t{1} << (moment % 64);
  word_ = std::min(word_, moment / 64);  // step() may have looked further than it went
}

void Agenda::open_page(std::size_t page) {
  page_ = page;
  word_ = 0;
  if (page >= pages_.size()) return;
  Line waiting = pages_[page];
  while (Planned* one = waiting.take()) line_up(one);
}

/// The first moment of the open page that has a line; kPage if there is none.
std::size_t Agenda::next_moment() {
  for (; word_ < busy_.size(); ++word_) {
    if (busy_[word_] == 0) continue;
    return word_ * 64 + static_cast<std::size_t>(std::countr_zero(busy_[word_]));
  }
  return kPage;
}

/// The page that is open is that of `until`: what is planned from now on must not lie before it.
bool Agenda::pass(Duration until) {
  now_ = until;
  return false;
}

bool Agenda::step(Duration until) {
  const auto end = static_cast<std::size_t>(until.count());
  std::size_t moment = next_moment();
  while (moment == kPage) {
    if ((page_ + 1) * kPage > end) return pass(until);
    open_page(page_ + 1);
    moment = next_moment();
  }
  const std::size_t time = page_ * kPage + moment;
  if (time > end) return pass(until);
  now_ = Duration{static_cast<std::int64_t>(time)};
  Planned* one = moments_[moment].take();
  if (moments_[moment].first == nullptr) busy_[moment / 64] &= ~(std::uint64_t{1} << (moment % 64));
  one->deed.do_once();
  free_.add(one);
  return true;
}

}  // namespace cronce::sim
