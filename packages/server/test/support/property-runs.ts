/**
 * How often to try a property over random input that takes long: as often as is said, and a fifth of it in `npm test`
 * without arguments, which sets BASEDRIVE_TEST_FEWER_RUNS. The input is the same each time, so the fifth is the first.
 */
export function propertyRuns(all: number): number {
  return process.env.BASEDRIVE_TEST_FEWER_RUNS === '1' ? Math.ceil(all / 5) : all;
}
