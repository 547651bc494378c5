/* Binary search in sorted lists. */
export function firstAtOrAfter(list, value, low, high) {
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle] < value) low = middle + 1; else high = middle;
  }
  return low;
}
