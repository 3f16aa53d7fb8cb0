/** What the operator has decided about projects, as far as every request must know it. */
export interface ProjectGate {
  /**
   * Throws the 410 `RequestError` of a project that is being deleted (docs/http.md#delete-project). Gives the moment, by which
   * the request knows later whether its project was deleted since.
   */
  admit(project: string): Deletions;
  /**
   * Counts a request with a key, which came at this time of a clock that never goes back. Throws the 429 `RequestError` of a
   * project that has sent too many (docs/http.md#set-quota).
   */
  count(project: string, startedMs: number): void;
}

/**
 * A moment in the list of all deletions of projects that this server learns of. What comes later is linked to it, and what
 * came before is held by nobody: so a request whose project is deleted, and even made again, while its body arrives still
 * knows of it, and nobody counts the requests of a project.
 */
export interface Deletions {
  /** The first deletion after this moment. */
  next: DeletedProject | undefined;
}

export interface DeletedProject extends Deletions {
  readonly project: string;
}

/** The moment of a request that no project is known of. */
export const noDeletions: Deletions = { next: undefined };

/** Whether a deletion of the project has begun since this moment. */
export function isDeletedSince({ next }: Deletions, project: string): boolean {
  for (let later = next; later !== undefined; later = later.next) if (later.project === project) return true;
  return false;
}
