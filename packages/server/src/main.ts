#!/usr/bin/env node
import { run } from './cli/program.js';

const exitCode = await run({
  arguments: process.argv.slice(2),
  environment: process.env,
  out: (text) => process.stdout.write(`${text}\n`),
  err: (text) => process.stderr.write(`${text}\n`),
  ...(process.stderr.isTTY && { show: (text: string) => process.stderr.write(`\r\u001b[K${text}`) }),
});
// Whatever still holds the loop (a pool of threads, a cut connection) has nothing left to do.
process.exit(exitCode);
