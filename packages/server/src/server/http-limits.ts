import type { Settings } from '../config/settings.js';

/** How often Node looks for connections that are past a time limit. */
const checkConnectionsEveryMs = 1000;

/** Beyond 2000 fields, Node would leave out the rest, a second Host among them. The bytes of the head are limited. */
export const maxHeadersCount = 0;

/** The limits of Node's HTTP server. */
export function httpLimits(settings: Settings) {
  return {
    maxHeaderSize: settings.maxHeaderBytes,
    headersTimeout: settings.headerTimeoutMs,
    requestTimeout: settings.requestTimeoutMs,
    keepAliveTimeout: settings.idleTimeoutMs,
    connectionsCheckingInterval: checkConnectionsEveryMs,
    // The listener checks it, so that the answer has the same form as all answers.
    requireHostHeader: false,
  };
}
