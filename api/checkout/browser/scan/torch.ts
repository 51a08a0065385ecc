// The light beside the camera, where browser and phone offer one.

/** Switches the light. @throws when the camera does not obey */
export type Torch = (isOn: boolean) => Promise<void>;

/** TypeScript does not know this member of the Image Capture specification. */
type WithTorch<Known> = Known & { readonly torch?: boolean };

/** Call it once the camera shows a picture: some phones name the light only then. */
export function torchOf(stream: MediaStream): Torch | undefined {
  const [track] = stream.getVideoTracks();
  // Firefox before 132 has no getCapabilities.
  if (track === undefined || !('getCapabilities' in track)) return undefined;
  const { torch }: WithTorch<MediaTrackCapabilities> = track.getCapabilities();
  if (torch !== true) return undefined;
  return (isOn) => {
    const light: WithTorch<MediaTrackConstraintSet> = { torch: isOn };
    return track.applyConstraints({ advanced: [light] });
  };
}
