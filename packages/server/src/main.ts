#!/usr/bin/env node
import { run } from './cli/program.js';

// A closed reader (a closed terminal, `| head`) must not end the server.
process.stderr.on('error', () => {});

const exitCode = await run({
  arguments: process.argv.slice(2),
  environment: process.env,
  out: (text) => process.stdout.write(`${text}\n`),
  err: (text) => process.stderr.write(`${text}\n`),
  outIsTerminal: process.stdout.isTTY === true,
  show: process.stderr.isTTY ? (text) => process.stderr.write(`\r\u001b[K${text}`) : undefined,
});
// Something may still keep the event loop alive (a thread pool, a broken connection), but no work is left.
process.exit(exitCode);
