import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { type Listing, type ListingRequest, openListing } from './listing/listing.js';

interface UsedListing {
  readonly listing: Listing;
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
  const shown = useRef(opened);
  const isFirstPageThere =
    opened.rows.value.length > 0 || ['complete', 'failed'].includes(opened.state.value);
  if (isFirstPageThere) shown.current = opened;
  return {
    listing: shown.current,
    readAgain() {
      attempt.value++;
    },
  };
}
