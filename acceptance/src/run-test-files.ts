import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { ownKey, ownOtherKey } from './target.js';

const concurrency = 2;
const fileTimeoutMs = 180_000;

/** Runs compiled test files against the service at a URL, which accepts the suite's keys. Gives whether all passed. */
export async function runTestFiles(
  files: readonly string[],
  url: URL,
  variables: Readonly<Record<string, string>>,
): Promise<boolean> {
  const suite = spawn(
    process.execPath,
    ['--test', `--test-concurrency=${concurrency}`, `--test-timeout=${fileTimeoutMs}`, ...files],
    {
      stdio: 'inherit',
      env: {
        ...process.env,
        BASEDRIVE_TEST_URL: url.href,
        BASEDRIVE_TEST_KEY: ownKey,
        BASEDRIVE_TEST_OTHER_KEY: ownOtherKey,
        ...variables,
      },
    },
  );
  const [code] = (await once(suite, 'exit')) as [number | null];
  return code === 0;
}
