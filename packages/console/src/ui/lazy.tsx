import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { tellFailure } from './toast.js';

/** A part of the page that is loaded when it is first shown, so that the first load stays small. */
export function lazy<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let loaded: ComponentType<Props> | undefined;
  return function Lazy(props: Props) {
    const [Part, setPart] = useState<ComponentType<Props> | undefined>(() => loaded);
    useEffect(() => {
      if (loaded !== undefined) return;
      load().then((part) => {
        loaded = part;
        setPart(() => part);
      }, tellFailure);
    }, []);
    return Part === undefined ? null : <Part {...props} />;
  };
}
