import { useEffect, useRef } from 'preact/hooks';

/** Gives whether a part of the page is still there at the time of a call: work that it began may end later. */
export function useIsOpen(): () => boolean {
  const isOpen = useRef(true);
  useEffect(() => {
    isOpen.current = true;
    return () => {
      isOpen.current = false;
    };
  }, []);
  return () => isOpen.current;
}
