/**
 * How the service names its spaces. A project has no `/`, and the name comes last, so no two of them can
 * meet; a space ends where the engine ends it, so no name is a prefix of another.
 */
export const keysSpace = 'keys';
/** What is to be known of the rows as a whole: true of this place only, nothing to copy. */
export const storeSpace = 'store';
/** Who of many servers does the work in the background: true of these servers only, nothing to copy. */
export const maintenanceSpace = 'upkeep';
/** Of what these rows are a copy: true of this place only, nothing to copy. */
export const copySpace = 'copy';

export function baseSpace(project: string, base: string): string {
  return `base/${project}/${base}`;
}

export function driveSpace(project: string, drive: string): string {
  return `drive/${project}/${drive}`;
}
