/** Puts an entry at the end of a map. If there are more than `most`, the first one goes: it is the one that was put longest ago. */
export function keepLast<Value>(map: Map<string, Value>, key: string, value: Value, most: number): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= most) return;
  const [first = ''] = map.keys();
  map.delete(first);
}
