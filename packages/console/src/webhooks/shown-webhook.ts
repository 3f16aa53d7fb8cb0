import type { Webhook } from 'basedrive-client';
import { requestText } from '../api/request.js';
import { readAttribute, readElements } from '../exact/scan.js';

/** A webhook as it is listed, whose query has the digits and the order with which it was made. */
export interface ShownWebhook extends Omit<Webhook, 'query'> {
  /** The query as JSON text; undefined for none. */
  readonly queryText: string | undefined;
}

/** The webhooks of the project: docs/http.md#list-webhooks */
export async function readWebhooks(): Promise<readonly ShownWebhook[]> {
  const answer = await requestText('GET', '/hooks');
  return readElements(readAttribute(answer, 'hooks') ?? '[]').map((text) => {
    const { query: _, ...hook } = JSON.parse(text) as Webhook;
    return { ...hook, queryText: readAttribute(text, 'query') };
  });
}
