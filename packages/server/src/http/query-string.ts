/** The parameters of a URL. The first of several with one name counts. */
export interface QueryString {
  /**
   * The decoded value, or undefined when the parameter is absent. `+` and `%20` both mean a space. A `%` that
   * is no escape stands for itself (some clients do not encode). Throws a 400 `RequestError` naming the
   * parameter when the bytes are not UTF-8.
   */
  get(name: string): string | undefined;
}
