import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';

const parts = signal<readonly ComponentType[]>([]);

/** Has the page draw a part, whatever is shown: what is loaded late adds its own, so that the first load is without it. */
export function addPart(part: ComponentType): void {
  parts.value = [...parts.value, part];
}

/** The place of these parts, once on the page. */
export function PartPlace() {
  return parts.value.map((Part, n) => <Part key={n} />);
}
