/**
 * Something that the operator can mend: an option, a folder, a port, a certificate, the id of a key. The
 * message is one clear line without a stack; a command ends with exit code 2.
 */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
}
