// `npm run bench`: the service beside what one would use instead, on this machine, in one run.
import { parseOptions, usage } from './options.js';
import { runBenchmark } from './run.js';

try {
  const options = parseOptions(process.argv.slice(2));
  if (options === undefined) console.log(usage);
  else await runBenchmark(options);
} catch (error) {
  console.error(error instanceof Error ? `${error.name}: ${error.message}` : error);
  // At once: servers are still running, and end with this process.
  process.exit(1);
}
