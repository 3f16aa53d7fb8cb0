/** What the operator has decided about projects, as far as every request must know it. */
export interface ProjectGate {
  /** Throws the 410 `RequestError` of a project that is being deleted (docs/http.md#delete-project). */
  admit(project: string): void;
  /**
   * Counts a request with a key, which came at this time of a clock that never goes back. Throws the 429 `RequestError` of a
   * project that has sent too many (docs/http.md#set-quota).
   */
  count(project: string, startedMs: number): void;
}
