/** Whether a component is unavailable at the moment: only then may a request be answered with 503. */
export interface Outage {
  begin(): void;
  end(): void;
  /** Called when a request is sent. Returns a function that tells whether an outage has overlapped the request. */
  watch(): () => boolean;
}

export function createOutage(): Outage {
  let isOn = false;
  let count = 0;
  return {
    begin() {
      isOn = true;
      count++;
    },
    end() {
      isOn = false;
    },
    watch() {
      const before = count;
      const wasOn = isOn;
      return () => wasOn || count !== before;
    },
  };
}
