import { ownKey, ownOtherKey } from './target.js';

const options = ['--test-concurrency=2'];

/** The runner of all test files of this repository, which names what failed at the end. It is plain JavaScript. */
interface Runner {
  runTests(run: {
    readonly options: readonly string[];
    readonly files: readonly string[];
    readonly inGroups: boolean;
    readonly environment: NodeJS.ProcessEnv;
  }): Promise<number>;
}

/**
 * Runs compiled test files against the service at a URL, which accepts the suite's keys; without one, each file starts its
 * own. Gives whether all passed.
 */
export async function runTestFiles(
  files: readonly string[],
  url: URL | undefined,
  variables: Readonly<Record<string, string>>,
): Promise<boolean> {
  const runner = new URL('../../../scripts/run-tests.mjs', import.meta.url);
  const { runTests } = (await import(runner.href)) as Runner;
  const environment = {
    ...process.env,
    BASEDRIVE_TEST_URL: url?.href ?? '',
    BASEDRIVE_TEST_KEY: ownKey,
    BASEDRIVE_TEST_OTHER_KEY: ownOtherKey,
    ...variables,
  };
  return (await runTests({ options, files, inGroups: true, environment })) === 0;
}
