/** The names of this machine, which every certificate that the server makes has. */
export const ownNames: readonly string[] = ['localhost', '127.0.0.1', '::1'];
