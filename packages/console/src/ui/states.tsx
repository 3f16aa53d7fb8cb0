import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { explain, isPassing } from '../api/errors.js';
import { isReady } from '../api/ready.js';
import { Button } from './button.js';
import { Icon, type IconName } from './icon.js';

interface EmptyStateProps {
  readonly icon: IconName;
  readonly title: string;
  /** What it means and what can be done. */
  readonly children?: ComponentChildren;
  readonly actions?: ComponentChildren;
}

/** In place of a list that has nothing. */
export function EmptyState({ icon, title, children, actions }: EmptyStateProps) {
  return (
    <div class="empty">
      <span class="empty-icon">
        <Icon name={icon} size={24} />
      </span>
      <h2>{title}</h2>
      {children !== undefined && <div class="empty-text">{children}</div>}
      {actions !== undefined && <div class="row wraps">{actions}</div>}
    </div>
  );
}

interface ErrorStateProps {
  readonly cause: unknown;
  onRetry(): void;
}

const askEveryMs = 3000;

/** Tries again what has failed for lack of an answer, once the service is back. Without a cause it does nothing. */
export function useRetry(cause: unknown, onRetry: () => void): void {
  const retry = useRef(onRetry);
  retry.current = onRetry;
  useEffect(() => {
    if (cause === undefined || !isPassing(cause)) return;
    const timer = setInterval(async () => {
      if (document.visibilityState === 'hidden' || !(await isReady())) return;
      clearInterval(timer);
      retry.current();
    }, askEveryMs);
    return () => clearInterval(timer);
  }, [cause]);
}

/** In place of what could not be read. It tries again by itself once a service that was away is back. */
export function ErrorState({ cause, onRetry }: ErrorStateProps) {
  useRetry(cause, onRetry);
  return (
    <div class="empty" role="alert">
      <span class="empty-icon danger">
        <Icon name="circle-alert" size={24} />
      </span>
      <h2>This could not be read</h2>
      <div class="empty-text">{explain(cause)}</div>
      <Button text="Try again" icon="refresh" onClick={onRetry} />
    </div>
  );
}

/** In place of rows that are on their way: the same height, so that nothing jumps. */
export function LoadingRows({ rows = 8 }: { readonly rows?: number }) {
  return (
    <div class="loading-rows" role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, n) => (
        <div key={n} class="loading-row">
          <span class="skeleton" />
          <span class="skeleton" />
          <span class="skeleton" />
        </div>
      ))}
    </div>
  );
}
