/** What the operator has decided about projects, as far as every request must know it. */
export interface ProjectGate {
  /** Throws the 410 `RequestError` of a project that is being deleted (docs/http.md#delete-project). */
  admit(project: string): void;
}
