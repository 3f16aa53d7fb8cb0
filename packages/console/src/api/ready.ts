import { serviceAddress } from './address.js';

/** Whether the service and its storage answer: docs/http.md#health */
export async function isReady(): Promise<boolean> {
  try {
    return (await fetch(`${serviceAddress}/ready`, { cache: 'no-store', redirect: 'error' })).ok;
  } catch {
    return false;
  }
}
