/** The result of a run that was not due or waits after a failure: it does not show that the work succeeds again. */
export const IDLE = Symbol('idle');
