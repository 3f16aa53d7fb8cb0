// Loaded before each test file. Properties over random input get the same input in every run, so that a run fails by the
// change that it tests. BASEDRIVE_TEST_SEED takes another input: a number, or `random` for a new one in each file.
import fc from 'fast-check';

const { BASEDRIVE_TEST_SEED: seed = '1' } = process.env;
if (seed !== 'random') {
  if (!/^-?\d+$/.test(seed))
    throw new Error(`BASEDRIVE_TEST_SEED is "${seed}": it must be an integer or "random"`);
  fc.configureGlobal({ seed: Number(seed) });
}
