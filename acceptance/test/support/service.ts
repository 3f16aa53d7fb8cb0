import { after, before, describe } from 'node:test';
import { type Api, createApi } from '../../src/api.js';
import { givenTarget, launchTarget, openTarget, type Target } from '../../src/target.js';

/** One service for all tests of a file: it starts before the first and stops after the last. */
export interface Service {
  readonly api: Api;
  readonly target: Target;
}

/** To be called at the top of a `describe` or a file. Its members exist only while the tests run. */
export function useService(open: () => Promise<Target> = openTarget): Service {
  let api: Api | undefined;
  before(async () => {
    api = createApi(await open());
  });
  after(async () => {
    api?.close();
    await api?.target.close();
  });
  const running = () => {
    if (api === undefined) throw new Error('the service exists only while the tests run');
    return api;
  };
  return {
    get api() {
      return running();
    },
    get target() {
      return running().target;
    },
  };
}

/** The options of a server for each protocol that it can speak. */
export const protocols: Readonly<Record<'http' | 'https', readonly string[]>> = {
  http: [],
  https: ['--https'],
};

/**
 * A suite over HTTP, and again over HTTPS unless only the quick tests run (`propertyRuns` of the server's tests says when
 * that is), each with a service of its own. A given service has one protocol.
 */
export function describeOverBoth(name: string, suite: (service: Service) => void): void {
  const options = { concurrency: true };
  if (givenTarget() !== undefined) describe(name, options, () => suite(useService()));
  else {
    const isQuick = process.env.BASEDRIVE_TEST_FEWER_RUNS === '1';
    for (const [protocol, words] of Object.entries(protocols)) {
      if (isQuick && protocol === 'https') continue;
      const open = () => (protocol === 'http' ? openTarget() : launchTarget(...words));
      describe(`${protocol}: ${name}`, options, () => suite(useService(open)));
    }
  }
}
