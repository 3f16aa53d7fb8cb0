/** What the operator has decided about projects, as far as every request must know it. */
export interface ProjectGate {
  /**
   * Throws the 410 `RequestError` of a project that is being deleted (docs/http.md#delete-project). Gives the moment, from
   * which `isDeletedSince` tells later whether the project was deleted.
   */
  admit(project: string): Deletions;
  /**
   * Counts a request with a key, which came at this time of a clock that never goes back. Throws the 429 `RequestError` of a
   * project that has sent too many (docs/http.md#set-quota).
   */
  count(project: string, startedMs: number): void;
}

/**
 * A moment in the list of all deletions of projects that this server learns of. Later deletions are linked to it, so a
 * request can see that its project was deleted while its body arrived, even if the project was made again. Nothing holds
 * earlier deletions, and no requests have to be counted.
 */
export interface Deletions {
  /** The first deletion after this moment. */
  next: DeletedProject | undefined;
}

export interface DeletedProject extends Deletions {
  readonly project: string;
}

/** The moment of a request whose project is not known yet. */
export const noDeletions: Deletions = { next: undefined };

/** Whether a deletion of the project has begun since this moment. */
export function isDeletedSince({ next }: Deletions, project: string): boolean {
  for (let later = next; later !== undefined; later = later.next) if (later.project === project) return true;
  return false;
}
