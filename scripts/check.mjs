// `npm run check`: everything that must pass before a change is merged. All steps run, so that one run shows every
// problem. The table at the end shows the result and the duration of each step.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { buildHttpTypes, install, root } from './setup.mjs';

install();
buildHttpTypes();

const tool = (path) => [process.execPath, join(root, 'node_modules', path)];
const steps = [
  { name: 'types', run: [...tool('typescript/bin/tsc'), '-b'] },
  { name: 'format and lint', run: [...tool('@biomejs/biome/bin/biome'), 'check', '--error-on-warnings'] },
  { name: 'dead code', run: [...tool('knip/bin/knip.js')] },
  { name: 'tests', run: [process.execPath, join(root, 'scripts', 'test.mjs'), '--all'] },
];

const results = steps.map(({ name, run: [command, ...options] }) => {
  console.log(`\n── ${name}`);
  const began = performance.now();
  const { status } = spawnSync(command, options, { cwd: root, stdio: 'inherit' });
  return { name, passed: status === 0, seconds: (performance.now() - began) / 1000 };
});

console.log('');
for (const { name, passed, seconds } of results) {
  console.log(`${passed ? 'passed' : 'FAILED'}  ${name.padEnd(16)}${seconds.toFixed(1).padStart(7)} s`);
}
process.exit(results.every((result) => result.passed) ? 0 : 1);
