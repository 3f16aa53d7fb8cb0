/** A number of bytes for people: `35.0 MB`. */
export function shownBytes(bytes: number): string {
  let value = bytes;
  for (const unit of ['B', 'kB', 'MB', 'GB']) {
    if (value < 1000) return `${unit === 'B' ? Math.round(value) : value.toFixed(1)} ${unit}`;
    value /= 1000;
  }
  return `${value.toFixed(1)} TB`;
}

/** How long the rest of a work takes, of which this share took these seconds. An estimate from the first ones would be wrong. */
export function shownRest(share: number, seconds: number): string[] {
  return share > 0.01 && seconds > 3 ? [`${shownTime((seconds * (1 - share)) / share)} left`] : [];
}

/** A duration for people: `40 s`, `3 min`, `2 h 10 min`. */
export function shownTime(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
