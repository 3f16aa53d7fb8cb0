import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { PageError } from '../api/errors.js';
import { isReady } from '../api/ready.js';
import { ErrorState, useRetry } from './states.js';
import { tellFailure } from './toast.js';

/**
 * A part of the page that is loaded when it is first shown, so that the first load stays small. What fails is said in the
 * place of a screen, or as a message, and tried again when the service is back.
 */
export function lazy<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  { isScreen = false } = {},
): ComponentType<Props> {
  let loaded: ComponentType<Props> | undefined;
  return function Lazy(props: Props) {
    const [Part, setPart] = useState<ComponentType<Props> | undefined>(() => loaded);
    const [failure, setFailure] = useState<unknown>();
    const read = async () => {
      try {
        loaded ??= await load();
        setPart(() => loaded);
      } catch (cause) {
        // The files of a page have other names once the service was updated.
        const shown = (await isReady()) ? new PageError('The console was updated. Reload the page.') : cause;
        setFailure(shown);
        if (!isScreen) tellFailure(shown);
      }
    };
    useEffect(() => void read(), []);
    useRetry(failure, () => void read());
    if (Part !== undefined) return <Part {...props} />;
    return isScreen && failure !== undefined ? (
      <ErrorState cause={failure} onRetry={() => void read()} />
    ) : null;
  };
}
