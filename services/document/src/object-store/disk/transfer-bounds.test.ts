import type { Socket } from 'node:net';
import { cutWhenSlow, places } from './transfer-bounds.ts';

describe('a transfer', () => {
  const bounds = { minBytesPerSecond: 100, windowMs: 2_000 };
  const socket = { bytesRead: 0, bytesWritten: 0, destroy: jest.fn() };
  let stop: () => void;
  beforeEach(() => {
    jest.useFakeTimers();
    Object.assign(socket, { bytesRead: 5_000, bytesWritten: 0 });
    socket.destroy.mockClear();
    stop = cutWhenSlow(socket as unknown as Socket, bounds);
  });
  afterEach(() => {
    stop();
    jest.useRealTimers();
  });

  it.each(['bytesRead', 'bytesWritten'] as const)(
    'goes on while enough moves in each window: %s',
    (direction) => {
      for (let window = 0; window < 10; window += 1) {
        socket[direction] += 200;
        jest.advanceTimersByTime(bounds.windowMs);
      }
      expect(socket.destroy).not.toHaveBeenCalled();
    },
  );

  it('is cut at the end of the first window in which too little moved, whatever moved before', () => {
    socket.bytesRead += 1_000_000;
    jest.advanceTimersByTime(bounds.windowMs);
    socket.bytesRead += 199;
    jest.advanceTimersByTime(bounds.windowMs - 1);
    expect(socket.destroy).not.toHaveBeenCalled();
    jest.advanceTimersByTime(1);
    expect(socket.destroy).toHaveBeenCalledTimes(1);
  });

  it('is not cut once it has ended', () => {
    stop();
    jest.advanceTimersByTime(10 * bounds.windowMs);
    expect(socket.destroy).not.toHaveBeenCalled();
  });
});

it('places are counted by name, and each is given back once it is free', () => {
  const { take } = places();
  const [one, two] = [take('a', 2), take('a', 2)];
  expect(take('a', 2)).toBeUndefined();
  expect(take('b', 1)).toBeDefined();
  one?.();
  expect(take('a', 2)).toBeDefined();
  expect(take('a', 2)).toBeUndefined();
  two?.();
  expect(take('a', 2)).toBeDefined();
});
