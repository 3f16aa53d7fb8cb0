import { JsonNumber, type JsonValue } from '../../json/value.js';

/** Reading or comparing a value takes about as long as this many characters. */
const bytesOfValue = 64;

/** Estimates what an operand costs that is read, or compared with an item, in bytes of a text that is parsed. */
export function operandBytesOf(operand: JsonValue): number {
  if (typeof operand === 'string') return bytesOfValue + operand.length;
  if (operand instanceof JsonNumber) return bytesOfValue + operand.text.length;
  let bytes = bytesOfValue;
  if (Array.isArray(operand)) {
    for (const element of operand) bytes += operandBytesOf(element);
  } else if (operand instanceof Map) {
    for (const [name, member] of operand) bytes += name.length + operandBytesOf(member);
  }
  return bytes;
}
