#include "tests/support/random_pool.hpp"

namespace {

enum class Place { none, first_slot, first_page, end, middle };

std::int64_t padding_count(Rng& rng, Place place, std::int64_t page_size) {
  switch (place) {
    case Place::none:
      return 0;
    case Place::first_slot:
      return 1;
    case Place::first_page:
      return page_size;
    case Place::end:
    case Place::middle:
      return rng.chance(50) ? page_size : rng.between(1, 2 * page_size);
  }
  return 0;
}

std::int64_t padding_first(Rng& rng, Place place, const RandomPool& pool) {
  const std::int64_t last = pool.num_slots - pool.padding.count;
  if (place == Place::end) return last;
  if (place != Place::middle) return 0;
  return rng.chance(50) ? last / pool.unit / 2 * pool.unit : rng.between(0, last);
}

}  // namespace

std::optional<std::int64_t> RandomPool::null_unit() const {
  const std::int64_t first = (padding.first + unit - 1) / unit;
  if ((first + 1) * unit > padding.first + padding.count) return std::nullopt;
  return first;
}

RandomPool random_pool(Rng& rng, std::int64_t needed, std::int64_t unit, std::int64_t page_size) {
  const auto place = rng.pick<Place>({Place::none, Place::first_slot, Place::first_slot,
                                      Place::first_page, Place::end, Place::middle});
  RandomPool pool{.unit = unit};
  pool.padding.count = padding_count(rng, place, page_size);
  pool.padding.skip_reads = rng.chance(40);
  // A range that starts inside a unit takes one more.
  const std::int64_t taken = pool.has_padding() ? (pool.padding.count + unit - 1) / unit + 1 : 0;
  pool.num_slots = (needed + taken) * unit;
  pool.padding.first = padding_first(rng, place, pool);
  for (const std::int64_t u : rng.permutation(0, needed + taken)) {
    const bool before = (u + 1) * unit <= pool.padding.first;
    const bool behind = u * unit >= pool.padding.first + pool.padding.count;
    if (before || behind) pool.units.push_back(u);
  }
  return pool;
}
