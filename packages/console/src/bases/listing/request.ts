/** What a listing shows. */
export interface ListingRequest {
  readonly base: string;
  /** The query as JSON text. */
  readonly query: string;
  readonly order: readonly string[];
  readonly isDescending: boolean;
  /** The key with which the list begins; empty: with the first one. Only for the order of keys. */
  readonly from: string;
}
