import {
  backslash,
  closeBrace,
  closeBracket,
  newline,
  openBrace,
  openBracket,
  quote,
} from '../json-bytes.js';

/** Why a scan stopped: the value is whole, the chunk is at its end, or a string has a line break, which no JSON has. */
export type ScanEnd = 'value' | 'chunk' | 'broken string';

/**
 * Finds the end of one JSON value in chunks of bytes. It only counts brackets outside strings: whether the value is
 * valid JSON is for others to say.
 */
export class JsonScanner {
  private depth = 0;
  private isInString = false;
  private isEscaped = false;
  /** Whether the value is a number or a word, which ends before the next separator. */
  private isWord = false;
  private hasBegun = false;

  /** The position after what was scanned. */
  at = 0;

  /** Begins a new value. */
  reset(): void {
    this.depth = 0;
    this.isInString = false;
    this.isEscaped = false;
    this.isWord = false;
    this.hasBegun = false;
  }

  /** Scans from `from` on, and sets `at`. */
  scan(chunk: Buffer, from: number): ScanEnd {
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at] as number;
      if (!this.hasBegun && isSpace(byte)) continue;
      if (this.isInString) {
        if (this.isEscaped) this.isEscaped = false;
        else if (byte === backslash) this.isEscaped = true;
        else if (byte === quote) {
          this.isInString = false;
          if (this.depth === 0) return this.end('value', at + 1);
        }
        if (byte === newline) return this.end('broken string', at);
      } else if (this.isWord) {
        if (endsWord(byte)) return this.end('value', at);
      } else if (byte === quote) {
        this.isInString = true;
      } else if (byte === openBrace || byte === openBracket) {
        this.depth++;
      } else if (byte === closeBrace || byte === closeBracket) {
        this.depth--;
        if (this.depth <= 0) return this.end('value', at + 1);
      } else if (!this.hasBegun) {
        this.isWord = true;
      }
      this.hasBegun = true;
    }
    return this.end('chunk', chunk.length);
  }

  private end(why: ScanEnd, at: number): ScanEnd {
    this.at = at;
    return why;
  }
}

/** Whether a byte ends a number, `true`, or another text outside strings. */
function endsWord(byte: number): boolean {
  return isSpace(byte) || byte === 0x2c || byte === closeBracket || byte === closeBrace;
}

/** Whether a byte is white space between JSON tokens. */
export function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === newline || byte === 0x0d || byte === 0x09;
}
