// An application of the old library, moved by one changed import: the scenarios that hold npm `deta` against the service,
// with this library in its place.
import { register } from 'node:module';
import { before, describe, test } from 'node:test';
import { key, useService } from './support/service.js';

register('./support/acceptance/replace-deta.js', import.meta.url);
// Compiled for itself: only its path is known here.
const path = new URL('../../../../acceptance/dist/src/deta/scenarios.js', import.meta.url).href;
const { scenarios } = (await import(path)) as { scenarios: Record<string, () => Promise<void>> };

/** What differs on purpose; docs/moving-in.md says so. */
const differing = new Set([
  // The type of a file is that of its name, and not `binary/octet-stream`.
  'drive.put with a content type, and without',
  // An error is called `BasedriveError`.
  'base.fetch with queries',
  // When every name is bad, the message is the service's.
  'drive.get, delete and deleteMany of what is there and what is not',
]);

describe('an application of npm deta, by one changed import', { concurrency: true }, () => {
  const service = useService();
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
