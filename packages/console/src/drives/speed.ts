/** The time over which the speed is taken: short enough to be of now, long enough not to jump. */
const windowMs = 3000;

/** Gives a function that takes the bytes sent so far, and gives the bytes a second over the last moments. */
export function createSpeed(): (bytes: number) => number {
  let samples: { readonly ms: number; readonly bytes: number }[] = [];
  return (bytes) => {
    const ms = performance.now();
    samples = [...samples.filter((sample) => ms - sample.ms < windowMs), { ms, bytes }];
    const first = samples[0];
    if (first === undefined || ms - first.ms < 1) return 0;
    return Math.max(0, ((bytes - first.bytes) / (ms - first.ms)) * 1000);
  };
}
