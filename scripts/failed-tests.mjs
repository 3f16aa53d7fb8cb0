// A reporter for the test runner of Node: a line for each test that failed, with its file and the first line of its error.
import { relative } from 'node:path';
import { root } from './setup.mjs';

// biome-ignore lint/style/noDefaultExport: the runner takes the reporter from there
export default async function* failedTests(events) {
  for await (const { type, data } of events) {
    const { error } = data.details ?? {};
    // A suite fails because of the tests in it.
    if (type !== 'test:fail' || error?.failureType === 'subtestsFailed') continue;
    const [reason] = String(error?.cause?.message ?? error?.message ?? error).split('\n', 1);
    yield `Failed: ${data.name} (${relative(root, data.file ?? '')}): ${reason}\n`;
  }
}
