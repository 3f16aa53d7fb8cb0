import { after, before } from 'node:test';
import { type Api, createApi } from '../../src/api.js';
import { openTarget, type Target } from '../../src/target.js';

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
