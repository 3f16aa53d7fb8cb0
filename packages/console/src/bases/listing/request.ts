import type { Order } from '../order.js';

/** What a listing shows. */
export interface ListingRequest extends Order {
  readonly base: string;
  /** The query as JSON text. */
  readonly query: string;
  /** The key with which the list begins; empty: with the first one. Only for the order of keys. */
  readonly from: string;
}
