import { describe, expect, it } from 'vitest';
import { amount, bytes, chooseStyle, count, formatNumber, percent, time } from './numbers';

describe('amounts', () => {
  it('says times in the unit a person would', () => {
    expect(time(19_312_804_500)).toBe('19.3 ms');
    expect(time(412_000_000)).toBe('412 µs');
    expect(time(999_600_000)).toBe('1.00 ms');
    expect(time(4_160_000_000_000)).toBe('4.16 s');
    expect(time(1_200)).toBe('1.20 ns');
    expect(time(0)).toBe('0');
  });
  it('never says 0 for what is unknown, nor for what is small', () => {
    expect(time(null)).toBe('–');
    expect(time(Number.NaN)).toBe('–');
    expect(formatNumber({ divisor: 1e9, unit: 'ms', decimals: 2, whole: false }, 1000)).toBe('<0.01');
    expect(formatNumber({ divisor: 1e9, unit: 'ms', decimals: 2, whole: false }, -1000)).toBe('−<0.01');
  });
  it('has binary units for capacity and decimal ones for rates', () => {
    expect(bytes(9_526_840_320)).toBe('8.87 GiB');
    expect(amount('bytes/s', 55.5e9)).toBe('55.5 GB/s');
    expect(amount('flop/s', 989e12)).toBe('989 TFLOP/s');
    expect(percent(97.85)).toBe('97.8 %');
  });
  it('groups counts by thin spaces', () => {
    expect(count(5_137_817)).toBe('5\u202f137\u202f817');
    expect(count(999)).toBe('999');
  });
});

describe('columns', () => {
  it('keep one unit and one number of decimals', () => {
    const values = [9_687_575_000, 5_467_438_250, 1_886_000_000, 947_000_000, 1_000_000];
    const style = chooseStyle('ps', true, values);
    expect(style.unit).toBe('ms');
    expect(values.map(v => formatNumber(style, v))).toEqual(['9.69', '5.47', '1.89', '0.95', '<0.01']);
  });
  it('take the smaller unit where most values would vanish', () => {
    expect(chooseStyle('ps', true, [1_500_000_000, 2_000_000, 1_000_000]).unit).toBe('µs');
  });
  it('leave plain integers whole', () => {
    const style = chooseStyle('', true, [3, 1_000_000]);
    expect(formatNumber(style, 1_000_000)).toBe('1\u202f000\u202f000');
  });
  it('write negative numbers with a minus sign', () => {
    expect(formatNumber(chooseStyle('ps', true, [-32.4e9]), -32.4e9)).toBe('−32.4');
  });
});
