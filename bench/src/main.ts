// `npm run bench`: measures the service and its alternatives on this machine, in one run.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { parseOptions, usage } from './options.js';
import { repository } from './processes/installed.js';
import { runBenchmark } from './run.js';

try {
  const options = parseOptions(process.argv.slice(2));
  if (options === undefined) console.log(usage);
  else {
    // As `npm start` does.
    execFileSync(process.execPath, [join(repository, 'packages/server/bundle.mjs')], { stdio: 'inherit' });
    await runBenchmark(options);
  }
} catch (error) {
  console.error(error instanceof Error ? `${error.name}: ${error.message}` : error);
  // Exit at once: servers that still run end with this process.
  process.exit(1);
}
