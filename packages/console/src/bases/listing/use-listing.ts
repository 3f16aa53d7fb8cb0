import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { type Listing, openListing } from './listing.js';
import type { ListingRequest } from './request.js';

interface UsedListing {
  readonly listing: Listing;
  /** The listing that is shown at the time of the call, for work that ends later. */
  shown(): Listing;
  /** Reads everything again. */
  readAgain(): void;
}

/**
 * The listing of a request, which must stay the same object while it asks for the same. The rows of the listing before
 * stay in view until the first page of the next one is there.
 */
export function useListing(request: ListingRequest): UsedListing {
  const attempt = useSignal(0);
  const opened = useMemo(() => openListing(request), [request, attempt.value]);
  useEffect(() => opened.close, [opened]);
  const current = useRef(opened);
  const isFirstPageThere =
    opened.rows.value.length > 0 || ['complete', 'failed'].includes(opened.state.value);
  if (isFirstPageThere) current.current = opened;
  return {
    listing: current.current,
    shown: () => current.current,
    readAgain() {
      attempt.value++;
    },
  };
}
