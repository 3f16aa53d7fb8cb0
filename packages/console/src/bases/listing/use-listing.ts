import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { BaseView } from '../base-view.js';
import { type Listing, openListing } from './listing.js';
import type { ListingRequest } from './request.js';

type UsedListing = Pick<BaseView, 'listing' | 'shown' | 'isWaiting' | 'readAgain'>;

/**
 * The listing of a request. The rows of the listing before stay in view until the first page of the next one is there, and
 * are still those of the same listing when the request becomes the former one again before that.
 */
export function useListing(request: ListingRequest): UsedListing {
  const attempt = useSignal(0);
  const asked = JSON.stringify([request, attempt.value]);
  const shown = useRef<{ readonly asked: string; readonly listing: Listing } | undefined>(undefined);
  const opened = useMemo(
    () => (shown.current?.asked === asked ? shown.current.listing : openListing(request)),
    [asked],
  );
  const isFirstPageThere =
    opened.rows.value.length > 0 || ['complete', 'failed'].includes(opened.state.value);
  if (isFirstPageThere || shown.current === undefined) shown.current = { asked, listing: opened };
  const { listing } = shown.current;
  useEffect(() => () => listing.close(), [listing]);
  useEffect(
    () => () => {
      if (opened !== shown.current?.listing) opened.close();
    },
    [opened],
  );
  return {
    listing,
    shown: () => shown.current?.listing ?? opened,
    isWaiting: listing !== opened,
    readAgain() {
      attempt.value++;
    },
  };
}
