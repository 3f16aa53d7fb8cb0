/**
 * The address of the service: where this page came from, without the `/` at its end. It has a path if a proxy serves
 * the service below one.
 */
export const serviceAddress = new URL('.', document.baseURI).href.replace(/\/$/, '');
