// An application of npm `deta` whose import was changed to this library: runs the scenarios that test the service with
// npm `deta`, with this library in its place.
import { register } from 'node:module';
import { before, describe, test } from 'node:test';
import { key, ownService } from './support/service.js';

register('./support/acceptance/replace-deta.js', import.meta.url);
// The acceptance tests are a project of their own, so the compiler does not know this module.
const path = new URL('../../../../acceptance/dist/src/deta/scenarios.js', import.meta.url).href;
const { scenarios } = (await import(path)) as { scenarios: Record<string, () => Promise<void>> };

/** Scenarios whose result differs on purpose, as docs/moving-in.md says. */
const differing = new Set([
  // The content type is derived from the name, in place of `binary/octet-stream`.
  'drive.put with a content type, and without',
  // The message of a bad query also has the reason, and the error's name is `BasedriveError`.
  'base.fetch with queries',
  // When every name is bad, the message is the service's.
  'drive.get, delete and deleteMany of what is there and what is not',
]);

describe('an application of npm deta whose import was changed', { concurrency: true }, () => {
  const service = ownService();
  before(() => {
    Object.assign(process.env, {
      DETA_PROJECT_KEY: key,
      DETA_BASE_HOST: service.url,
      DETA_DRIVE_HOST: service.url,
    });
  });

  for (const [name, scenario] of Object.entries(scenarios)) {
    if (!differing.has(name)) test(name, scenario);
  }
});
