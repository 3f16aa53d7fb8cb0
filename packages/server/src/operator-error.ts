/**
 * Something that the operator can correct: an option, a folder, a port, a certificate, the id of a key. The message is
 * one line, which is printed without a stack; the command ends with exit code 2.
 */
export class OperatorError extends Error {
  override readonly name: string = 'OperatorError';
}
