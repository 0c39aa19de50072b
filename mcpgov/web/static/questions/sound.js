// Two soft notes when a question comes in, where a person has switched them on. Browsers let a page sound only after
// somebody has pressed something in it.

const KEPT = "mcpgov-sound";
const NOTES = [
  [660, 0],
  [880, 0.14],
]; // Hz, seconds

let context = null;

export const isOn = () => localStorage.getItem(KEPT) === "on";

export function switchSound(on) {
  localStorage.setItem(KEPT, on ? "on" : "off");
  if (on) playSound();
}

export function playSound() {
  if (!isOn()) return;
  context ??= new AudioContext();
  for (const [pitch, after] of NOTES) note(pitch, context.currentTime + after);
}

function note(pitch, at) {
  const tone = context.createOscillator();
  const volume = context.createGain();
  tone.frequency.value = pitch;
  volume.gain.setValueAtTime(0, at);
  volume.gain.linearRampToValueAtTime(0.12, at + 0.02);
  volume.gain.exponentialRampToValueAtTime(0.001, at + 0.35);
  tone.connect(volume).connect(context.destination);
  tone.start(at);
  tone.stop(at + 0.4);
}
