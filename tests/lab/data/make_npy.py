"""Makes the .npy files of this folder with NumPy itself (1.24): python3 make_npy.py"""
import numpy as np

x = np.array([[1, -2, 0.5], [0, np.inf, -0.0]], dtype="<f4")
np.save("f32_2x3.npy", x)
np.save("f16_2x3.npy", x.astype("<f2"))
np.save("f64_3.npy", x.astype("<f8")[0])
np.save("bf16_as_u16.npy", (x.view("<u4") >> 16).astype("<u2"))
np.save("bf16_as_void.npy", (x.view("<u4") >> 16).astype("<u2").view("V2"))
np.save("u8_4.npy", np.array([0, 0x38, 0x7F, 0xFF], dtype="u1"))
np.save("scalar.npy", np.float32(3))
np.save("empty_0x5.npy", np.zeros((0, 5), dtype="<f4"))
np.save("fortran_2x3.npy", np.asfortranarray(x))
np.save("big_endian.npy", x.astype(">f4"))
np.save("structured.npy", np.zeros(2, dtype=[("a", "<f4")]))
with open("version2.npy", "wb") as file:
    np.lib.format.write_array(file, x, version=(2, 0))
